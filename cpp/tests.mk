# The tests of the kernels, with sanitizers. `make cpp-test` builds them here, one file on each core.
FLAGS := -std=c++20 -g1 -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -ffp-contract=off \
         -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS -pthread -Icpp/include
HEADERS := $(wildcard cpp/include/icsched/*.hpp cpp/tests/*.hpp)
OBJECTS := $(patsubst cpp/%.cpp,build/cpp/%.o,$(wildcard cpp/src/*.cpp cpp/tests/*.cpp))

build/cpp-tests: $(OBJECTS)
	$(CXX) $(FLAGS) $^ -o $@

build/cpp/%.o: cpp/%.cpp $(HEADERS)
	@mkdir -p $(@D)
	$(CXX) $(FLAGS) -c $< -o $@
